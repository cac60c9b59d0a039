package dev.postrider;

/** In which order the events of a claim-mode outbox go out. */
public enum Ordering {
    /** Events of one key go out in the order they were written; keys do not wait for each other. */
    KEY,
    /** By due time, whatever the key. Nothing holds back anything else. */
    NONE
}
