package dev.postrider.devservices;

/** How to end a server. */
enum StopMode {
    /** Clients are disconnected, everything is written; the next start has nothing to recover. */
    ORDERLY,
    /** As a crash would; the next start recovers. */
    AT_ONCE
}
