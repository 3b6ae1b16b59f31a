import "../../ui/display/trial.css";
import { useState } from "react";
import type { Schemas } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import type { Mailbox } from "./mailbox-draft.ts";

interface ConnectionTestProps {
  readonly mailbox: Mailbox;
  readonly isStale: boolean;
}

export function ConnectionTest({ mailbox, isStale }: ConnectionTestProps) {
  const [result, setResult] = useState<Schemas["MailboxTest"]>();
  const test = useCommand("mailboxes.test", {
    refusal: isStale ? "Save your changes first." : undefined,
    onDone: ({ data }) => setResult(data),
  });
  return (
    <section className="trial" aria-label="Connection">
      <h3>Connection</h3>
      {mailbox.polledAt !== null && (
        <p className="muted">
          Last checked <Ago at={mailbox.polledAt} />
        </p>
      )}
      {mailbox.pollError !== null && <p className="problem">{mailbox.pollError}</p>}
      <p>
        <CommandButton
          command={test}
          onPress={() => {
            setResult(undefined);
            void test.run({ params: { id: mailbox.id } });
          }}
        >
          {test.isBusy ? "Testing…" : "Test connection"}
        </CommandButton>
      </p>
      {result && (
        <p className={result.ok ? "ok-note" : "problem"} role="status">
          {result.ok ? `Connected. ${count(result.waiting ?? 0, "e-mail")} waiting.` : result.error}
        </p>
      )}
    </section>
  );
}
