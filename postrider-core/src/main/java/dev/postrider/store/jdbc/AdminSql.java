package dev.postrider.store.jdbc;

/**
 * The operators' statements that differ from mode to mode. Their parameters and the columns of their results do
 * not, so that one {@link PostgresAdminStore} sends them all.
 */
interface AdminSql {

    // ---- looking: the nine conditions of a selection and a limit; an id, twice

    String find();

    String read();

    // ---- changing: the nine conditions; chosen ids, ids and hashes of changed ones, who; chosen ids, who

    String choose();

    String retry();

    String discard();

    // ---- published events: aggregate or two times, and ids above; also up to which id, and how many

    String extentOfAggregate();

    String extentByTime();

    String publishedOfAggregate();

    String publishedByTime();
}
