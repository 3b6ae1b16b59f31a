import { useState } from "react";
import { call } from "../../data/api.ts";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notifyError } from "../../ui/toast.tsx";
import type { Webhook } from "../health.ts";
import { toMoment } from "../../ui/words.ts";
import { Button } from "../../ui/form/button.tsx";

/** A new signing secret, shown once. The former one signs beside it for a day. */
export function SecretDialog(props: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { id, name, hasSecret } = props.webhook;
  const [made, setMade] = useState<{ secret: string; previousSecretExpiresAt: string | null }>();
  const [isBusy, setBusy] = useState(false);
  const rotate = async (): Promise<void> => {
    setBusy(true);
    try {
      setMade((await call("webhooks.rotate_secret", { params: { id }, body: {} })).data);
    } catch (error) {
      notifyError(error);
    }
    setBusy(false);
  };
  const until = made?.previousSecretExpiresAt;
  return (
    <Dialog
      title={made ? `The new secret of ${name}` : `New signing secret for ${name}`}
      onClose={props.onClose}
      onSubmit={() => (made ? props.onClose() : void rotate())}
      footer={
        <Button look="main" disabled={isBusy}>
          {made ? "I have saved it" : "Create a new secret"}
        </Button>
      }
    >
      {!made && (
        <p>
          {hasSecret
            ? "For 24 hours each delivery is signed with the old secret and the new one, so that the receiver can change over without a gap."
            : "From then on every delivery is signed, so that the receiver can tell that it comes from here."}
        </p>
      )}
      {made && (
        <>
          <p>It is shown only now. Give it to the receiver.</p>
          <CopyLine label="Signing secret" text={made.secret} />
          {until && <p className="muted">The former secret signs too until {toMoment(until)}.</p>}
        </>
      )}
    </Dialog>
  );
}
