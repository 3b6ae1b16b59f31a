import "../events.css";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Ago } from "../../ui/time.tsx";
import { nameThing } from "../event-words.ts";
import { EventsHead } from "../events-head.tsx";
import { type ButtonCommand, CommandButton } from "../../ui/form/command-button.tsx";

type DeadLetter = Schemas["DeadLetter"];

const keyOf = ({ reader, eventId }: DeadLetter): string => `${reader} ${eventId}`;

/** Events that a consumer could not process, with the error and the available actions. */
export function DeadLetters() {
  useTitle("Dead letters");
  const { data, error, refetch } = useOp("dead_letters.list", { query: { limit: 100 } });
  const [chosen, setChosen] = useState<string>();
  const [toSkip, setToSkip] = useState<DeadLetter>();
  const letters = data?.data ?? [];
  const open = letters.find((letter) => keyOf(letter) === chosen);
  useListKeys({ ids: letters.map(keyOf), chosen, onChoose: setChosen });
  const retry = useCommand("dead_letters.retry", { said: "Event processed." });
  const skip = useCommand("dead_letters.skip", { said: "Event skipped." });
  const inputOf = ({ reader, eventId }: DeadLetter) => ({ params: { reader, eventId } });
  const disabled = retry.refusal ?? (open ? undefined : "Select a dead letter first.");
  useActions([
    {
      keys: "r",
      label: "Retry",
      run: () => open && void retry.run(inputOf(open)),
      disabled,
      asks: {
        title: "Retry this event?",
        text: "The consumer processes the event again and repeats all its actions.",
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
        <Empty title="No dead letters">
          Events that a consumer can't process appear here. They do not block other events.
        </Empty>
      )}
      <div className="events-list scroll" role="region" aria-label="Dead letters" tabIndex={0}>
        {letters.map((letter) => (
          <LetterRow
            key={keyOf(letter)}
            letter={letter}
            isChosen={keyOf(letter) === chosen}
            {...{ retry, skip }}
            onChoose={() => setChosen(keyOf(letter))}
            onRetry={() => void retry.run(inputOf(letter))}
            onSkip={() => setToSkip(letter)}
          />
        ))}
      </div>
      {toSkip && (
        <Confirm
          title="Skip this event?"
          act="Skip"
          onAct={() => {
            setToSkip(undefined);
            void skip.run(inputOf(toSkip));
          }}
          onClose={() => setToSkip(undefined)}
        >
          <p>
            <span className="mono">{toSkip.reader}</span> does not process this event. The event
            stays in the event log. This can't be undone.
          </p>
        </Confirm>
      )}
    </div>
  );
}

function LetterRow(props: {
  readonly letter: DeadLetter;
  readonly isChosen: boolean;
  readonly retry: ButtonCommand;
  readonly skip: ButtonCommand;
  readonly onChoose: () => void;
  readonly onRetry: () => void;
  readonly onSkip: () => void;
}) {
  const { letter, retry, skip } = props;
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
          Not processed by <span className="mono">{reader}</span>
        </p>
      </div>
      <div className="row">
        <Link className="btn bare" to="/causes/$of" params={{ of: eventId }}>
          Causes
        </Link>
        <CommandButton command={retry} title="Retry (r)" onPress={props.onRetry}>
          Retry
        </CommandButton>
        <CommandButton command={skip} look="bare" title="Skip (x)" onPress={props.onSkip}>
          Skip
        </CommandButton>
      </div>
    </article>
  );
}
