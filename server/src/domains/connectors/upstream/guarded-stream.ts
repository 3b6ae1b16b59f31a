/** Streams to servers with protocols other than HTTP: only permitted addresses, and TLS if configured. */
import { once } from "node:events";
import type { Socket } from "node:net";
import Type from "typebox";
import type { PlatformServices } from "#kernel/contract.ts";
import { toOutboundFailure } from "#kernel/outbound/error.ts";
import { startTls, type TlsTrust } from "#kernel/outbound/socket.ts";
import { text } from "#kernel/schema/schema.ts";
import { limits } from "../types/connector-type.ts";
import type { UpstreamConnection } from "./connection.ts";
import { withDeadline } from "./deadline.ts";
import { hostName } from "./target.ts";
import { UpstreamError, upstreamErrorOf } from "./upstream-error.ts";
import { notDestination } from "../destination-mark.ts";

/** TLS modes, with the well-known names of PostgreSQL. */
const SSL_MODES = ["verify-full", "require", "disable"] as const;

/** Configuration fields of a server with host and port. */
export function serverFields(description: string, defaultPort: number) {
  return {
    host: hostName(description),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: defaultPort }),
    sslMode: Type.Enum([...SSL_MODES], {
      default: "verify-full",
      description: "`require` encrypts without verifying the server",
    }),
    caCertificate: Type.Optional(
      text(20_000, "PEM certificate of a private certificate authority"),
    ),
    maxConnections: notDestination(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        default: 4,
        description: "Per node",
      }),
    ),
    ...limits,
  };
}

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  readonly sslMode: (typeof SSL_MODES)[number];
  readonly caCertificate?: string;
}

/** Connects, with TLS if configured; errors state that nothing was sent. */
export async function openStream(
  { platform, config, deadline }: UpstreamConnection<ServerConfig>,
  what: string,
  at: { readonly host: string; readonly port: number } = config,
): Promise<Socket> {
  const plain = await openSocket({ platform, deadline }, what, at);
  if (config.sslMode === "disable") return plain;
  const secure = startTls(plain, at.host, toTrust(platform, config));
  const stop = (): void => void secure.destroy();
  deadline.signal.addEventListener("abort", stop, { once: true });
  try {
    await withDeadline(deadline, once(secure, "secureConnect"));
    return secure;
  } catch (error) {
    secure.destroy();
    deadline.signal.throwIfAborted();
    throw streamError(error, `${what} ${at.host}`, { unsent: true });
  } finally {
    deadline.signal.removeEventListener("abort", stop);
  }
}

/** Connects without TLS, for clients that start TLS themselves. */
export async function openSocket(
  { platform, deadline }: Pick<UpstreamConnection, "platform" | "deadline">,
  what: string,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Socket> {
  const socket = platform.outbound.socket();
  // A broken connection is reported by the awaited operation.
  socket.on("error", () => undefined);
  const stop = (): void => void socket.destroy();
  deadline.signal.addEventListener("abort", stop, { once: true });
  try {
    const connected = once(socket, "connect");
    socket.connect(port, host);
    await withDeadline(deadline, connected);
    return socket.setNoDelay(true);
  } catch (error) {
    socket.destroy();
    deadline.signal.throwIfAborted();
    throw streamError(error, `${what} ${host}`, { unsent: true });
  } finally {
    deadline.signal.removeEventListener("abort", stop);
  }
}

/** The certificate authorities that TLS trusts: the connector's own, otherwise those of the installation. */
function toTrust(
  { outbound }: PlatformServices,
  { sslMode, caCertificate }: Pick<ServerConfig, "sslMode" | "caCertificate">,
): TlsTrust {
  const { secureContext } = outbound;
  return {
    rejectUnauthorized: sslMode === "verify-full",
    ...(caCertificate !== undefined && { ca: caCertificate }),
    ...(caCertificate === undefined && secureContext && { secureContext }),
  };
}

/** Converts a stream error to a message without secrets. */
export function streamError(error: unknown, at: string, { unsent = false } = {}): unknown {
  if (error instanceof UpstreamError) return error;
  const failed = upstreamErrorOf(toOutboundFailure(error, at));
  if (!(failed instanceof UpstreamError) || failed.particulars.isDown !== true) return failed;
  return new UpstreamError(failed.message, { ...failed.particulars, unsent });
}
