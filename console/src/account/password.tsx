import { useState } from "react";
import { useForm } from "../data/form/use-form.ts";
import { Section } from "../ui/display/section.tsx";
import { Button } from "../ui/form/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";

/** The password, with an action to change it. */
export function Password() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="Password"
      about="Eight characters or more. A passphrase of several words is better than signs."
      act={<Button onClick={() => setOpen(true)}>Change it</Button>}
    >
      {isOpen && <ChangePassword onClose={() => setOpen(false)} />}
    </Section>
  );
}

interface Draft {
  readonly currentPassword?: string;
  readonly newPassword?: string;
  readonly again?: string;
}

function ChangePassword({ onClose }: { readonly onClose: () => void }) {
  const form = useForm("passwords.change", {
    initial: { currentPassword: "", newPassword: "", again: "" },
    toBody: ({ currentPassword = "", newPassword = "" }: Draft) => ({
      currentPassword,
      newPassword,
    }),
    check: ({ newPassword, again }) => ({
      again: newPassword === again ? undefined : "The two are not the same.",
    }),
    said: "Your password is changed. Your other sessions have ended.",
    onDone: onClose,
  });
  return (
    <FormDialog
      form={form}
      title="Change your password"
      act="Change the password"
      onClose={onClose}
    >
      <TextField
        {...form.field("currentPassword")}
        label="Current password"
        type="password"
        autoComplete="current-password"
      />
      <TextField
        {...form.field("newPassword")}
        label="New password"
        type="password"
        autoComplete="new-password"
      />
      <TextField
        {...form.field("again")}
        label="New password again"
        type="password"
        autoComplete="new-password"
        isRequired
      />
      <p className="muted">All your other sessions end.</p>
    </FormDialog>
  );
}
