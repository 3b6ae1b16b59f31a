import { KeyRound, LifeBuoy, Smartphone } from "lucide-react";
import { useState } from "react";
import { call, type Schemas, useOp } from "../data/api.ts";
import { useWork } from "../data/use-command.ts";
import { makePasskey } from "../shell/sign-in/passkey.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Ago } from "../ui/time.tsx";
import { notify } from "../ui/toast.tsx";
import { count } from "../ui/words.ts";
import { CodesDialog, TotpDialog } from "./factor-dialogs.tsx";
import { ProofDialog, type ProofDialogProps } from "./proof-dialog.tsx";
import { Button } from "../ui/form/button.tsx";
import { CommandButton } from "../ui/form/command-button.tsx";

/** Second factors and passkeys; a passkey also replaces the password. */
export function Factors() {
  const { data, error, refetch } = useOp("mfa.status");
  const keys = useOp("mfa.list_webauthn").data?.data ?? [];
  const [isTotp, setTotp] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const [question, setQuestion] = useState<ProofDialogProps>();
  const adding = useWork("mfa.register_webauthn");
  const status = data?.data;
  const addKey = async (): Promise<void> => {
    const options = (await call("mfa.register_webauthn", { body: {} })).data;
    const credential = await makePasskey(options);
    const name = `Passkey of ${new Date().toLocaleDateString("en-GB")}`;
    const made = (await call("mfa.register_webauthn", { body: { credential, name } })).data;
    if ("recoveryCodes" in made && made.recoveryCodes) setCodes(made.recoveryCodes);
    else notify("Passkey added. You can sign in with it now.");
  };
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!status) return <Loading rows={3} />;
  const hasFactor = status.totp || status.webauthn;
  return (
    <Section
      title="Second factors and passkeys"
      about={
        status.enforced
          ? "This workspace requires a second factor from all members."
          : "A second factor protects your account if your password is stolen."
      }
    >
      <ul>
        <TotpEntry isOn={status.totp} onSetUp={() => setTotp(true)} onAsk={setQuestion} />
        {keys.map((key) => (
          <KeyEntry key={key.id} credential={key} onAsk={setQuestion} />
        ))}
        <Entry
          icon={<KeyRound className="ico" />}
          title="Passkey or security key"
          about="Sign in without a password: with fingerprint, face or PIN."
          act={
            <CommandButton command={adding} onPress={() => void adding.run(addKey)}>
              Add passkey
            </CommandButton>
          }
        />
        {hasFactor && (
          <CodesEntry left={status.recoveryCodesLeft} onAsk={setQuestion} onCodes={setCodes} />
        )}
      </ul>
      {isTotp && (
        <TotpDialog
          onClose={() => setTotp(false)}
          onEnrolled={(given) => {
            setTotp(false);
            setCodes(given);
          }}
        />
      )}
      {question && <ProofDialog {...question} onClose={() => setQuestion(undefined)} />}
      {codes && <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  );
}

interface AskProps {
  readonly onAsk: (question: ProofDialogProps) => void;
}

function TotpEntry(props: AskProps & { readonly isOn: boolean; readonly onSetUp: () => void }) {
  return (
    <Entry
      icon={<Smartphone className="ico" />}
      title="Authenticator app"
      about={props.isOn ? "On: you enter a six-digit code after your password." : "Not set up."}
      act={
        props.isOn ? (
          <Button
            onClick={() =>
              props.onAsk({
                title: "Remove authenticator app",
                act: "Remove",
                about: "Verify that it is you.",
                operation: "mfa.disable_totp",
              })
            }
          >
            Remove
          </Button>
        ) : (
          <Button onClick={props.onSetUp}>Set up</Button>
        )
      }
    />
  );
}

function KeyEntry(props: AskProps & { readonly credential: Schemas["WebAuthnCredential"] }) {
  const { id, name, createdAt, lastUsedAt } = props.credential;
  return (
    <Entry
      icon={<KeyRound className="ico" />}
      title={name}
      about={
        <>
          Created <Ago at={createdAt} />
          {lastUsedAt ? (
            <>
              {" "}
              · used <Ago at={lastUsedAt} />
            </>
          ) : (
            " · never used"
          )}
        </>
      }
      act={
        <Button
          aria-label={`Remove ${name}`}
          onClick={() =>
            props.onAsk({
              title: `Remove ${name}`,
              act: "Remove",
              about: "The passkey stops working. Verify that it is you.",
              operation: "mfa.remove_webauthn",
              params: { id },
            })
          }
        >
          Remove
        </Button>
      }
    />
  );
}

function CodesEntry(
  props: AskProps & { readonly left: number; readonly onCodes: (codes: readonly string[]) => void },
) {
  return (
    <Entry
      icon={<LifeBuoy className="ico" />}
      title="Recovery codes"
      about={`${count(props.left, "code")} left. Each code replaces your second factor once.`}
      act={
        <Button
          onClick={() =>
            props.onAsk({
              title: "Generate new recovery codes",
              act: "Generate codes",
              about: "The old codes stop working. Verify that it is you.",
              operation: "mfa.renew_recovery_codes",
              onDone: (reply) => reply && props.onCodes(reply.data.recoveryCodes),
            })
          }
        >
          Generate codes
        </Button>
      }
    />
  );
}
