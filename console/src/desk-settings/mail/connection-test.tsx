import "../../ui/display/trial.css";
import { useState } from "react";
import { call, type Schemas } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import type { Mailbox } from "./mailbox-draft.ts";
import { Button } from "../../ui/form/button.tsx";

interface ConnectionTestProps {
  readonly mailbox: Mailbox;
  readonly isStale: boolean;
}

/** Tries the connection as it was saved. */
export function ConnectionTest({ mailbox, isStale }: ConnectionTestProps) {
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<Schemas["MailboxTest"]>();
  const test = async (): Promise<void> => {
    setBusy(true);
    setResult(
      await call("mailboxes.test", { params: { id: mailbox.id } }).then(
        ({ data }) => data,
        (error: unknown) => ({ ok: false, error: describeRefusal(error) }),
      ),
    );
    setBusy(false);
  };
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
        <Button
          type="button"
          disabled={isBusy || isStale}
          title={isStale ? "Save it first." : undefined}
          onClick={() => void test()}
        >
          {isBusy ? "Trying…" : "Try the connection"}
        </Button>
      </p>
      {result && (
        <p className={result.ok ? "ok-note" : "problem"} role="status">
          {result.ok ? `It works: ${count(result.waiting ?? 0, "mail")} there.` : result.error}
        </p>
      )}
    </section>
  );
}
