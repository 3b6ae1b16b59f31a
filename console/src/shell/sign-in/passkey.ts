/** Converts between the browser's passkey API and the server's format. */
import type { Schemas } from "../../data/api.ts";

/** Shows the browser's error message if the user closes the passkey dialog. */
function refuse(error: unknown): never {
  const isClosed = error instanceof DOMException && error.name === "NotAllowedError";
  throw isClosed ? new Error("The passkey could not be used. Try again or enter a code.") : error;
}

/** Asks the user for an enrolled key. */
export async function usePasskey(options: unknown): Promise<Schemas["WebAuthnAssertion"]> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey }).catch(refuse);
  if (!(credential instanceof PublicKeyCredential)) throw new Error("No passkey was used.");
  const { id, rawId, response } = credential.toJSON() as Schemas["WebAuthnAssertion"];
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return {
    id,
    rawId,
    type: "public-key",
    response: {
      clientDataJSON,
      authenticatorData,
      signature,
      ...(userHandle && { userHandle }),
    },
  };
}

/** Creates a passkey for this account. */
export async function makePasskey(options: unknown): Promise<Schemas["WebAuthnAttestation"]> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey }).catch(refuse);
  if (!(credential instanceof PublicKeyCredential)) throw new Error("No passkey was created.");
  const { id, rawId, response } = credential.toJSON() as Schemas["WebAuthnAttestation"];
  const { clientDataJSON, attestationObject } = response;
  return { id, rawId, type: "public-key", response: { clientDataJSON, attestationObject } };
}
