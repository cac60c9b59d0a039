/**
 * What a relay tells over HTTP: its metrics and its health. An {@link dev.postrider.http.Endpoint} answers requests and
 * knows no server; {@link dev.postrider.http.HttpService} is the JDK's server before one.
 */
@NullMarked
package dev.postrider.http;

import org.jspecify.annotations.NullMarked;
