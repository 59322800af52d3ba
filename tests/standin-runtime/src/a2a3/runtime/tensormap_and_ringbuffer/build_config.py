BUILD_CONFIG = {"aicore": {"include_dirs": ["common"]}}
