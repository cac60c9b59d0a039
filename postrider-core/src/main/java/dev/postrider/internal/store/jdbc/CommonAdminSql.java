package dev.postrider.internal.store.jdbc;

/**
 * The operators' statements of a family of databases that are the same in every mode, and whose parameters are the same in
 * every family.
 */
public record CommonAdminSql(
        String sizes,
        String readEvents,
        String readChanged,
        String wasHandled,
        String noteHandled,
        String hasLetters,
        String forgetLetter,
        String record,
        String recordProgress,
        String audit) {}
