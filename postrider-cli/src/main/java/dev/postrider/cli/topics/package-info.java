/** {@code postrider topics}: creates the topics of events and dead letters as the settings describe them. */
@NullMarked
package dev.postrider.cli.topics;

import org.jspecify.annotations.NullMarked;
