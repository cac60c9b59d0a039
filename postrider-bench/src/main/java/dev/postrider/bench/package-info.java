/** The command that measures Postrider beside its peers: servers and processes, scenarios, report. */
@NullMarked
package dev.postrider.bench;

import org.jspecify.annotations.NullMarked;
