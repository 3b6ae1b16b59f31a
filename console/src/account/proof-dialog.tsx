import { KeyRound } from "lucide-react";
import { ApiError, call, type Input, type Reply } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { useWork } from "../data/use-command.ts";
import { usePasskey } from "../shell/sign-in/passkey.ts";
import { CommandButton } from "../ui/form/command-button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";

/** Operations that change the second factors and require one of them as proof. */
type Guarded = "mfa.disable_totp" | "mfa.remove_webauthn" | "mfa.renew_recovery_codes";

export interface ProofDialogProps {
  readonly title: string;
  readonly act: string;
  readonly about: string;
  readonly operation: Guarded;
  readonly params?: { readonly id: string };
  readonly onDone?: (reply: Reply<Guarded>) => void;
}

/** Asks for a second factor before the second factors are changed. */
export function ProofDialog(props: ProofDialogProps & { readonly onClose: () => void }) {
  const { title, act, about, operation, params, onDone, onClose } = props;
  const end = (reply: Reply<Guarded>): void => {
    onDone?.(reply);
    onClose();
  };
  const key = useWork(operation);
  const useKey = async (): Promise<void> => {
    const options = await askForOptions(operation, params);
    const body = { assertion: await usePasskey(options) };
    end(await call(operation, { params, body } as Input<Guarded>));
  };
  const form = useForm(operation, {
    params,
    initial: { code: "" },
    check: ({ code }) => ({ code: code ? undefined : "Enter a code." }),
    onDone: end,
  });
  return (
    <FormDialog
      form={form}
      title={title}
      act={act}
      onClose={onClose}
      others={
        <CommandButton command={key} onPress={() => void key.run(useKey)}>
          <KeyRound /> Use passkey
        </CommandButton>
      }
    >
      <p className="muted">{about}</p>
      <TextField
        {...form.field("code")}
        label="Code from your authenticator app, or a recovery code"
        autoComplete="one-time-code"
        isRequired
      />
    </FormDialog>
  );
}

/** Without a proof, the server's response contains the accepted methods. */
async function askForOptions(
  operation: Guarded,
  params: ProofDialogProps["params"],
): Promise<unknown> {
  try {
    await call(operation, { params, body: {} } as Input<Guarded>);
  } catch (error) {
    const options = error instanceof ApiError ? error.problem["options"] : undefined;
    if (options !== undefined) return options;
    if (error instanceof ApiError && error.code === "second_factor_required") {
      throw new Error("You have no passkey in this workspace. Use a code.");
    }
    throw error;
  }
  throw new Error("This action was already completed.");
}
