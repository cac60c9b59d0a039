/** What commands share: their surroundings, the database they connect to, tables and messages. */
@NullMarked
package dev.postrider.cli.command;

import org.jspecify.annotations.NullMarked;
