/*
 * dma_workspace - the asynchronous copy engines that a kernel could ask a workspace of.
 */
#ifndef L3R_DMA_WORKSPACE_H
#define L3R_DMA_WORKSPACE_H

enum DmaWorkspaceKind {
    DMA_WORKSPACE_SDMA = 0,
    DMA_WORKSPACE_URMA = 1,
    DMA_WORKSPACE_KIND_COUNT = 2,
};

#endif
