/** The relay as a process of its own. */
@NullMarked
package dev.postrider.cli.relay;

import org.jspecify.annotations.NullMarked;
