/** Where the databases are known, all of them: {@link dev.postrider.internal.store.database.Databases} chooses one. */
@NullMarked
package dev.postrider.internal.store.database;

import org.jspecify.annotations.NullMarked;
