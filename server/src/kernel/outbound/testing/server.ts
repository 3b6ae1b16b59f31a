/** Loopback servers for the tests of the outbound client. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";

/** A server that records its requests. */
export interface Loopback extends AsyncDisposable {
  readonly port: number;
  readonly requests: IncomingMessage[];
  connections: number;
}

/** Starts a server on 127.0.0.1 with `handle` as its listener. */
export async function serve(handle: RequestListener): Promise<Loopback> {
  return start(createServer(), handle);
}

/** Starts a server with TLS, for `127.0.0.1` and `hooks.example.test`, trusted by `TEST_CA_PEM`. */
export async function serveTls(handle: RequestListener): Promise<Loopback> {
  return start(createTlsServer(TEST_IDENTITY), handle);
}

/** Undici returns a connection to its pool one event loop turn after the response. */
export async function connectionReturned(): Promise<void> {
  await setImmediate();
}

async function start(server: Server, handle: RequestListener): Promise<Loopback> {
  // Longer than any test, so that only actions of a test close a connection.
  server.keepAliveTimeout = 60_000;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const loopback: Loopback = {
    // A listening server has an address of this type.
    port: (server.address() as AddressInfo).port,
    requests: [],
    connections: 0,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
  server.on("connection", () => (loopback.connections += 1));
  server.on("request", (request, response) => {
    loopback.requests.push(request);
    handle(request, response);
  });
  return loopback;
}

// Created once with openssl, valid for a hundred years, so that test machines need no openssl. The CA's key was
// deleted.

/** The CA of `serveTls`. */
export const TEST_CA_PEM = `-----BEGIN CERTIFICATE-----
MIIBjTCCATOgAwIBAgIUfuCV9niS4dp/3IQ8Z5X30qq7niUwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQTWlsbHJhY2UgdGVzdCBDQTAgFw0yNjExMTUwMzIxMzFaGA8y
MTI2MTAyMjAzMjEzMVowGzEZMBcGA1UEAwwQTWlsbHJhY2UgdGVzdCBDQTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABOMzA8hF0rnYYXH628FIOu2G0PZxzMzOBO+t
BCgwRkpZQOIzzLCD+taw1wNQcblUOOnhUtTloSmowBs9II23jUmjUzBRMB0GA1Ud
DgQWBBRBMe7CSsqg59pBcKqiGJSnVBs/CzAfBgNVHSMEGDAWgBRBMe7CSsqg59pB
cKqiGJSnVBs/CzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIB8X
WyoT46fslG3qOsmDNB17c5tGZlEJ06359r09ID0gAiEAtmWwQhkAllKB03fYwuNu
A0ChVpdn6PolW+Q5jcwYQ+I=
-----END CERTIFICATE-----`;

const CERTIFICATE_PEM = `-----BEGIN CERTIFICATE-----
MIIB0jCCAXigAwIBAgIUJgM6ujPcfPn/5L9yNYWpuoJVcYUwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQTWlsbHJhY2UgdGVzdCBDQTAgFw0yNjExMTUwMzIxMzFaGA8y
MTI2MTAyMjAzMjEzMVowHTEbMBkGA1UEAwwSaG9va3MuZXhhbXBsZS50ZXN0MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEtS8TLmmcKW/k7/XrfDIPxI1dZgcWEept
Ftse46fjp16avaaw08QHgrJdQMJU7P7KwDCB7duVqQBtb60FWoLjpaOBlTCBkjAj
BgNVHREEHDAaghJob29rcy5leGFtcGxlLnRlc3SHBH8AAAEwCQYDVR0TBAIwADAL
BgNVHQ8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFNdeFsqX
AuZPsddLq+Bxq1Zbg2/tMB8GA1UdIwQYMBaAFEEx7sJKyqDn2kFwqqIYlKdUGz8L
MAoGCCqGSM49BAMCA0gAMEUCIQCi2V19x2oh+d/dzwOcE9lGxDdRg/iTmiap0g+X
3iS6RAIgZdjLPbODkGmvPqb/YKKaylvmuO0lfUwIFq7h1u5HNQA=
-----END CERTIFICATE-----`;

const KEY_PEM = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkkRUlMOk1aclsCyN
DyAYoadGdzgjVUiqgHX8KqSkbCahRANCAAS1LxMuaZwpb+Tv9et8Mg/EjV1mBxYR
6m0W2x7jp+OnXpq9prDTxAeCsl1AwlTs/srAMIHt25WpAG1vrQVaguOl
-----END PRIVATE KEY-----`;

/** The identity of a server trusted by `TEST_CA_PEM`. */
export const TEST_IDENTITY = { key: KEY_PEM, cert: CERTIFICATE_PEM };
