/**
 * Those that are compared: the raw producer, Postrider in its modes, and its peers. Each lives in a JVM of its own and
 * does what it is told by {@link dev.postrider.bench.contender.ContenderMain}.
 */
@NullMarked
package dev.postrider.bench.contender;

import org.jspecify.annotations.NullMarked;
