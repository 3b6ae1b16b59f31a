import type { Socket } from "node:net";
import { connect, type SecureContext, type TLSSocket } from "node:tls";
import { literalAddress } from "./request-checks.ts";

export interface TlsTrust {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly secureContext?: SecureContext;
}

/** Begins TLS on a connection that is there, for the protocols that are not HTTP; it emits `secureConnect`. */
export function startTls(socket: Socket, host: string, trust: TlsTrust): TLSSocket {
  const secure = connect({
    socket,
    host,
    // An address in digits has no name to send.
    ...(literalAddress(host) === undefined && { servername: host }),
    ...trust,
  });
  // A broken connection is reported where something is awaited.
  secure.on("error", () => undefined);
  return secure;
}
