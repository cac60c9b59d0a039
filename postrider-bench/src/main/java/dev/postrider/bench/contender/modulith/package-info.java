/** Spring Modulith, whose event publication registry sends events after commit from the writer's process. */
@NullMarked
package dev.postrider.bench.contender.modulith;

import org.jspecify.annotations.NullMarked;
