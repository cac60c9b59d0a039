/** What every scenario works with: real servers, contenders' processes, and a look at what arrives. */
@NullMarked
package dev.postrider.bench.lab;

import org.jspecify.annotations.NullMarked;
