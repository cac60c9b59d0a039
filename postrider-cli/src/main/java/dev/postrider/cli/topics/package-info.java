/** {@code postrider topics}: the topics of the events and of the dead letters, made as the settings want them. */
@NullMarked
package dev.postrider.cli.topics;

import org.jspecify.annotations.NullMarked;
