package dev.postrider.admin;

import java.time.Instant;

/** Something an operator did. */
public record AuditEntry(Instant at, String actor, String action, String selector, long affected) {}
