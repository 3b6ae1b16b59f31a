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
      <NoticeDialog title={`New signing secret of ${name}`} act="Done" onClose={onClose}>
        <p>Copy the secret now: it is not shown again. Configure it in the receiver.</p>
        <CopyLine label="Signing secret" text={made.secret} />
        {until && (
          <p className="muted">
            Deliveries are also signed with the old secret until {toMoment(until)}.
          </p>
        )}
      </NoticeDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title={`Rotate signing secret of ${name}`}
      act="Rotate secret"
      onClose={onClose}
    >
      <p>
        {hasSecret
          ? "For 24 hours, deliveries are signed with the old and the new secret. Replace the secret in the receiver during this time."
          : "All deliveries are then signed, so that the receiver can verify the sender."}
      </p>
    </FormDialog>
  );
}
