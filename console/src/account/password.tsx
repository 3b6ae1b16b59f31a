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
      about="At least eight characters. Long passphrases are safer than short passwords with special characters."
      act={<Button onClick={() => setOpen(true)}>Change password</Button>}
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
      again: newPassword === again ? undefined : "The passwords do not match.",
    }),
    said: "Password changed. You are signed out of your other sessions.",
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title="Change password" act="Change password" onClose={onClose}>
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
        label="Repeat new password"
        type="password"
        autoComplete="new-password"
        isRequired
      />
      <p className="muted">You are signed out of all your other sessions.</p>
    </FormDialog>
  );
}
