import { GitMerge } from "lucide-react";
import { useMemo, useState } from "react";
import { useWork } from "../../../data/use-command.ts";
import { useModal } from "../../../ui/overlay/modal.ts";
import { count, toWords } from "../../../ui/words.ts";
import { compareDefinitions, compareFields } from "../../graph/diff.ts";
import type { Definition, Step } from "../../graph/graph.ts";
import { type Conflict, mergeDefinitions, type Side } from "../../graph/merge.ts";
import { ChangeList, DifferenceView, FieldChanges } from "../../versions/difference-view.tsx";
import { useNewestVersion } from "./theirs-bar.tsx";
import { Button } from "../../../ui/form/button.tsx";
import { CommandButton } from "../../../ui/form/command-button.tsx";
import { RadioButton } from "../../../ui/form/controls.tsx";

interface MergeDialogProps {
  readonly workflowId: string;
  readonly base: Definition;
  readonly mine: Definition;
  readonly theirs: Definition;
  readonly onMerge: (choices: ReadonlyMap<string, Side>) => Promise<void>;
  readonly onClose: () => void;
}

/** Resolves conflicts between two users: shows both sides, automatic merges and open choices. */
export function MergeDialog(props: MergeDialogProps) {
  const { workflowId, base, mine, theirs, onMerge, onClose } = props;
  const dialog = useModal();
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const merging = useWork("workflows.update");
  const newest = useNewestVersion(workflowId);
  const who = newest?.author.name ?? "Another user";
  const { definition, conflicts } = useMemo(
    () => mergeDefinitions({ base, mine, theirs }, choices),
    [base, mine, theirs, choices],
  );
  const brought = useMemo(() => compareDefinitions(mine, definition), [mine, definition]);
  const [own, other] = useMemo(
    () => [compareDefinitions(base, mine), compareDefinitions(base, theirs)],
    [base, mine, theirs],
  );
  return (
    <dialog ref={dialog} className="versions-dialog" aria-label="Merge" onClose={onClose}>
      <header>
        <h1>
          {who} saved {newest ? `version ${newest.version}` : "the workflow"} while you were editing
        </h1>
      </header>
      <DifferenceView
        difference={brought}
        instead={
          <>
            {conflicts.length > 0 && (
              <section>
                <h2>{count(conflicts.length, "conflict")}</h2>
                {conflicts.map((conflict) => (
                  <Decision
                    key={conflict.key}
                    conflict={conflict}
                    who={who}
                    onChoose={(side) => setChoices(new Map([...choices, [conflict.key, side]]))}
                  />
                ))}
              </section>
            )}
            <section>
              <h2>Changes by {who}</h2>
              <ChangeList changes={other.changes} />
              <FieldChanges fields={other.settings} />
            </section>
            <section>
              <h2>Your changes</h2>
              <ChangeList changes={own.changes} />
              <FieldChanges fields={own.settings} />
            </section>
          </>
        }
      />
      <footer>
        <span className="muted">
          The canvas shows the changes that are added to yours. Undo only affects your own changes.
        </span>
        <span className="grow" />
        <Button onClick={() => dialog.current?.close()}>Cancel</Button>
        <CommandButton
          command={merging}
          onPress={() => void merging.run(() => onMerge(choices))}
          isMain
          data-focus
        >
          <GitMerge />
          Merge and save
        </CommandButton>
      </footer>
    </dialog>
  );
}

function Decision(props: {
  readonly conflict: Conflict;
  readonly who: string;
  readonly onChoose: (side: Side) => void;
}) {
  const { conflict, who, onChoose } = props;
  const { key, mine, theirs, side, kind } = conflict;
  const step = (mine ?? theirs) as Step | undefined;
  const name = kind === "step" ? (step?.name ?? key) : toWords(key);
  const fields = compareFields(mine ?? {}, theirs ?? {});
  const words = { mine: "Mine", theirs: who } as const;
  return (
    <fieldset className="decision">
      <legend>{name}</legend>
      <div className="environment-choice">
        {(["mine", "theirs"] as const).map((one) => (
          <label key={one}>
            <RadioButton
              name={`keep-${key}`}
              checked={side === one}
              onChange={() => onChoose(one)}
            />
            {conflict[one] === undefined ? `${words[one]}: deleted` : words[one]}
          </label>
        ))}
      </div>
      {mine !== undefined && theirs !== undefined && <FieldChanges fields={fields} />}
    </fieldset>
  );
}
