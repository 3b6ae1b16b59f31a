import "../events.css";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Ago } from "../../ui/time.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { nameThing } from "../event-words.ts";
import { EventsHead } from "../events-head.tsx";
import { Button } from "../../ui/form/button.tsx";

type DeadLetter = Schemas["DeadLetter"];

const MAY_NOT = "You may not retry or skip dead letters.";
const keyOf = ({ reader, eventId }: DeadLetter): string => `${reader} ${eventId}`;

/** The events that a part of the platform could not handle, why, and what to do about it. */
export function DeadLetters() {
  useTitle("Dead letters");
  const may = useMay()("dead_letters.list");
  const { data, error, refetch } = useOp("dead_letters.list", { query: { limit: 100 } });
  const [chosen, setChosen] = useState<string>();
  const [toSkip, setToSkip] = useState<DeadLetter>();
  const [busy, setBusy] = useState<string>();
  const letters = data?.data ?? [];
  const open = letters.find((letter) => keyOf(letter) === chosen);
  useListKeys({ ids: letters.map(keyOf), chosen, onChoose: setChosen });
  const settle = async (letter: DeadLetter, way: "retry" | "skip"): Promise<void> => {
    const { reader, eventId } = letter;
    setBusy(keyOf(letter));
    try {
      await call(`dead_letters.${way}`, { params: { reader, eventId } });
      notify(way === "retry" ? "It was handled." : "It was skipped.");
    } catch (fault) {
      notifyError(fault);
    } finally {
      setBusy(undefined);
      setToSkip(undefined);
    }
  };
  const disabled = may ? (open ? undefined : "Choose one first.") : MAY_NOT;
  useActions([
    {
      keys: "r",
      label: "Retry",
      run: () => open && void settle(open, "retry"),
      disabled,
      asks: {
        title: "Retry this event?",
        text: "The event is processed again, with all its effects.",
        act: "Retry",
      },
    },
    { keys: "x", label: "Skip", run: () => setToSkip(open), disabled },
  ]);
  return (
    <div className="page paper">
      <EventsHead />
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading rows={6} />}
      {data && letters.length === 0 && (
        <Empty title="Every event was handled">
          One that keeps failing is set aside here, so that it holds up no other.
        </Empty>
      )}
      <div className="events-list scroll" role="region" aria-label="Dead letters" tabIndex={0}>
        {letters.map((letter) => (
          <LetterRow
            key={keyOf(letter)}
            letter={letter}
            isChosen={keyOf(letter) === chosen}
            isBusy={keyOf(letter) === busy}
            disabled={may ? undefined : MAY_NOT}
            onChoose={() => setChosen(keyOf(letter))}
            onRetry={() => void settle(letter, "retry")}
            onSkip={() => setToSkip(letter)}
          />
        ))}
      </div>
      {toSkip && (
        <Confirm
          title="Skip this event?"
          act="Skip"
          onAct={() => void settle(toSkip, "skip")}
          onClose={() => setToSkip(undefined)}
        >
          <p>
            What <span className="mono">{toSkip.reader}</span> should have done for it is never
            done. The event stays in the log.
          </p>
        </Confirm>
      )}
    </div>
  );
}

function LetterRow(props: {
  readonly letter: DeadLetter;
  readonly isChosen: boolean;
  readonly isBusy: boolean;
  readonly disabled: string | undefined;
  readonly onChoose: () => void;
  readonly onRetry: () => void;
  readonly onSkip: () => void;
}) {
  const { letter, disabled, isBusy } = props;
  const { event, error, reader, at, eventId } = letter;
  return (
    <article className="letter" aria-current={props.isChosen || undefined} onClick={props.onChoose}>
      <div className="letter-text">
        <p className="row">
          <Link className="mono" to="/events" search={{ open: eventId }}>
            {event?.type ?? eventId}
          </Link>
          {event && <span className="cut">{nameThing(event)}</span>}
          <Ago at={at} />
        </p>
        <p className="letter-error">{error}</p>
        <p className="muted">
          Not handled by <span className="mono">{reader}</span>
        </p>
      </div>
      <div className="row">
        <Link className="btn bare" to="/causes/$of" params={{ of: eventId }}>
          Causes
        </Link>
        <Button
          disabled={isBusy || disabled !== undefined}
          title={disabled ?? "Retry (r)"}
          onClick={props.onRetry}
        >
          Retry
        </Button>
        <Button
          look="bare"
          disabled={isBusy || disabled !== undefined}
          title={disabled ?? "Skip (x)"}
          onClick={props.onSkip}
        >
          Skip
        </Button>
      </div>
    </article>
  );
}
