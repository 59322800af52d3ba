/*
 * l3r_std - the standard headers that users' sources may take for granted.
 *
 * The small set is what generated programs need. -DL3R_TRANSITIVE_INCLUDES adds
 * those that hand-written ones have been seen to lean on; they triple the time
 * a compile takes, hence the switch (docs/formats.md, "What a compile is").
 */
#ifndef L3R_STD_H
#define L3R_STD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

#if defined(L3R_TRANSITIVE_INCLUDES)
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#elif __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h> /* std::min, std::max, std::swap without the rest of <algorithm> */
#include <cstdint>
#else
#include <algorithm>
#include <cstdint>
#endif

#endif
