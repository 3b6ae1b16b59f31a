import { useState } from "react";
import { useForm } from "../../data/form/use-form.ts";
import { CopyLine } from "../../ui/copy-line.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { NoticeDialog } from "../../ui/overlay/notice-dialog.tsx";
import { toMoment } from "../../ui/words.ts";
import type { Webhook } from "../health.ts";

interface SecretDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** A new signing secret, shown once. The old one also signs for one more day. */
export function SecretDialog({ webhook: { id, name, hasSecret }, onClose }: SecretDialogProps) {
  const [made, setMade] = useState<{ secret: string; previousSecretExpiresAt: string | null }>();
  const form = useForm("webhooks.rotate_secret", {
    params: { id },
    onDone: ({ data }) => setMade(data),
  });
  if (made) {
    const until = made.previousSecretExpiresAt;
    return (
      <NoticeDialog title={`The new secret of ${name}`} act="I have saved it" onClose={onClose}>
        <p>It is shown only now. Give it to the receiver.</p>
        <CopyLine label="Signing secret" text={made.secret} />
        {until && <p className="muted">The former secret signs too until {toMoment(until)}.</p>}
      </NoticeDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title={`New signing secret for ${name}`}
      act="Create a new secret"
      onClose={onClose}
    >
      <p>
        {hasSecret
          ? "For 24 hours each delivery is signed with the old secret and the new one, so that the receiver can change over without a gap."
          : "From then on every delivery is signed, so that the receiver can verify its origin."}
      </p>
    </FormDialog>
  );
}
