import { X509Certificate } from "node:crypto";

const CERTIFICATES_MAX = 10;

/**
 * Parses certificates: PEM blocks, or one certificate in plain base64 as in metadata. Undefined unless each has an
 * RSA key, the only kind that the SAML library verifies.
 */
export function certificatesOf(text: string): readonly X509Certificate[] | undefined {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  const parts = blocks ?? [pemOf(text)];
  if (parts.length > CERTIFICATES_MAX) return undefined;
  try {
    const certificates = parts.map((part) => new X509Certificate(part));
    const usable = certificates.every(({ publicKey }) => publicKey.asymmetricKeyType === "rsa");
    return usable ? certificates : undefined;
  } catch {
    return undefined;
  }
}

export function fingerprintsOf(text: string): string[] {
  return (certificatesOf(text) ?? []).map(({ fingerprint256 }) => fingerprint256);
}

function pemOf(base64: string): string {
  const lines = base64.replaceAll(/\s+/g, "").replaceAll(/(.{64})/g, "$1\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
