import { useState } from "react";
import { call } from "../data/api.ts";
import { useAttempt } from "../shell/sign-in/card.tsx";
import { Section } from "../ui/display/section.tsx";
import { Field } from "../ui/field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { notify } from "../ui/toast.tsx";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

const LENGTH_MIN = 8;

/** The password, and the way to another. */
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

function ChangePassword({ onClose }: { readonly onClose: () => void }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [again, setAgain] = useState("");
  const { problem, isBusy, attempt } = useAttempt();
  const isDifferent = again !== "" && again !== next;
  const isShort = next !== "" && next.length < LENGTH_MIN;
  const change = async (): Promise<void> => {
    await call("passwords.change", { body: { currentPassword: current, newPassword: next } });
    notify("Your password is changed. Your other sessions have ended.");
    onClose();
  };
  return (
    <Dialog
      title="Change your password"
      onClose={onClose}
      onSubmit={() => void attempt(change)}
      footer={
        <Button
          look="main"
          disabled={isBusy || current === "" || next.length < LENGTH_MIN || next !== again}
        >
          Change the password
        </Button>
      }
    >
      <Secret
        label="Current password"
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
        error={problem}
      />
      <Secret
        label="New password"
        autoComplete="new-password"
        value={next}
        onChange={setNext}
        error={isShort ? "Eight characters at least." : undefined}
      />
      <Secret
        label="New password again"
        autoComplete="new-password"
        value={again}
        onChange={setAgain}
        error={isDifferent ? "The two are not the same." : undefined}
      />
      <p className="muted">All your other sessions end.</p>
    </Dialog>
  );
}

function Secret(props: {
  readonly label: string;
  readonly autoComplete: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
}) {
  return (
    <Field label={props.label} error={props.error}>
      {(bound) => (
        <TextInput
          {...bound}
          type="password"
          autoComplete={props.autoComplete}
          maxLength={200}
          value={props.value}
          onChange={({ target }) => props.onChange(target.value)}
        />
      )}
    </Field>
  );
}
