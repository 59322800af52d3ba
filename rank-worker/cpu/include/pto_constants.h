/*
 * pto_constants - alignments of the runtime.
 */
#ifndef L3R_PTO_CONSTANTS_H
#define L3R_PTO_CONSTANTS_H

#define PTO2_ALIGN_SIZE 64
#define CHIP_ALIGN_SIZE PTO2_ALIGN_SIZE /* its name since August 2026 */
#define PTO2_PACKED_OUTPUT_ALIGN 1024
#define PTO2_ALIGN_UP(x, align) (((x) + (align) - 1) & ~((align) - 1))

#endif
