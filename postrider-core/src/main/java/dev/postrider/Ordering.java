package dev.postrider;

/** The order in which the events of a claim-mode outbox are sent. */
public enum Ordering {
    /** Events of one key are sent in the order they were written; keys do not wait for each other. */
    KEY,
    /** By due time, whatever the key. Nothing holds back anything else. */
    NONE
}
