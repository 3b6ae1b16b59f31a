const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
/** Accepts one step to either side, because clocks differ and people type slowly. */
const WINDOW_STEPS = 1;

/** The parameters that every authenticator app supports; many ignore other values. */
const PARAMETERS = { issuer: "Millrace", algorithm: "SHA1", digits: 6, period: STEP_SECONDS };

/** Loaded on first use, like `qrcode`: few installations need them, and they use memory. */
const library = () => import("otpauth");

export interface NewTotp {
  readonly secret: Buffer;
  /** For the authenticator app: the secret in base32, its URI, and a QR code of the URI. */
  readonly enrolment: {
    readonly secret: string;
    readonly qrCodeUri: string;
    readonly qrCode: string;
  };
}

export async function newTotp(label: string): Promise<NewTotp> {
  const { Secret, TOTP } = await library();
  const { default: qrcode } = await import("qrcode");
  const secret = new Secret({ size: SECRET_BYTES });
  const qrCodeUri = new TOTP({ ...PARAMETERS, label, secret }).toString();
  const qrCode = await qrcode.toDataURL(qrCodeUri);
  return {
    secret: Buffer.from(secret.bytes),
    enrolment: { secret: secret.base32, qrCodeUri, qrCode },
  };
}

/** Finds the time step of a code among the accepted ones; undefined if it is invalid. */
export async function findTotpStep(
  secret: Buffer,
  code: string,
  nowMs: number,
): Promise<number | undefined> {
  const { Secret, TOTP } = await library();
  const totp = new TOTP({ ...PARAMETERS, secret: new Secret({ buffer: bytesOf(secret) }) });
  const delta = totp.validate({ token: code, timestamp: nowMs, window: WINDOW_STEPS });
  return delta === null ? undefined : totp.counter({ timestamp: nowMs }) + delta;
}

/** Copies the bytes: a Buffer is often a view of a larger pool, which the library would read completely. */
function bytesOf(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}
