/** What is measured. Each scenario runs its contenders in turns and hands back figures, one for each run. */
@NullMarked
package dev.postrider.bench.scenario;

import org.jspecify.annotations.NullMarked;
