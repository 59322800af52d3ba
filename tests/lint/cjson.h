/* For cppcheck, which does not see the headers of libraries: the one macro of theirs that is a statement of its own. */
#define cJSON_ArrayForEach(item, array) for ((item) = (array)->child; (item); (item) = (item)->next)
