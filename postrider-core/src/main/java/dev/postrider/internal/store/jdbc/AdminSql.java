package dev.postrider.internal.store.jdbc;

/**
 * The operators' statements that differ from mode to mode and from one family of databases to the other. Their
 * parameters and the columns of their results do not, so that one {@link JdbcAdminStore} sends them all.
 */
public interface AdminSql {

    // ---- looking: the nine conditions of a selection and a limit; the same; a limit, three times; an id, twice

    String find();

    String count();

    String closedKeys();

    String read();

    // ---- changing: the nine conditions

    String choose();

    // ---- published events: aggregate or two times, and ids above; also up to which id, and how many

    String extentOfAggregate();

    String extentByTime();

    String publishedOfAggregate();

    String publishedByTime();
}
