import { KeyRound } from "lucide-react";
import { useState } from "react";
import { ApiError, type Schemas } from "../data/api.ts";
import { useAttempt } from "../shell/sign-in/card.tsx";
import { usePasskey } from "../shell/sign-in/passkey.ts";
import { Field } from "../ui/field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

export interface Proof {
  readonly code?: string;
  readonly assertion?: Schemas["WebAuthnAssertion"];
}

interface ProofDialogProps {
  readonly title: string;
  readonly act: string;
  readonly about: string;
  /** Without a proof the server says which it takes. */
  readonly send: (proof: Proof) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for a second factor before something about the second factors is changed. */
export function ProofDialog({ title, act, about, send, onClose }: ProofDialogProps) {
  const [code, setCode] = useState("");
  const { problem, isBusy, attempt } = useAttempt();
  const useKey = async (): Promise<void> => {
    const options = await askForOptions(send);
    await send({ assertion: await usePasskey(options) });
    onClose();
  };
  const useCode = async (): Promise<void> => {
    await send({ code: code.trim() });
    onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void attempt(useCode)}
      footer={
        <>
          <Button type="button" disabled={isBusy} onClick={() => void attempt(useKey)}>
            <KeyRound /> Use a passkey
          </Button>
          <Button look="main" disabled={isBusy || code.trim() === ""}>
            {act}
          </Button>
        </>
      }
    >
      <p className="muted">{about}</p>
      <Field label="Code of your authenticator app, or a recovery code" error={problem}>
        {(bound) => (
          <TextInput
            {...bound}
            autoComplete="one-time-code"
            maxLength={40}
            value={code}
            onChange={({ target }) => setCode(target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

async function askForOptions(send: ProofDialogProps["send"]): Promise<unknown> {
  try {
    await send({});
  } catch (error) {
    const options = error instanceof ApiError ? error.problem["options"] : undefined;
    if (options !== undefined) return options;
    if (error instanceof ApiError && error.code === "second_factor_required") {
      throw new Error("You have no passkey here; use a code.");
    }
    throw error;
  }
  throw new Error("It is done already.");
}
