/** What a relay does, as Micrometer meters. */
@NullMarked
package dev.postrider.metrics;

import org.jspecify.annotations.NullMarked;
