import { useCommand } from "../../data/use-command.ts";
import type { GridColumn } from "../column/column.ts";
import type { NameOf } from "../column/value.ts";
import { RecordHistory } from "./record-history.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";

interface GoneRecordProps {
  readonly slug: string;
  readonly columns: readonly GridColumn[];
  readonly recordId: string;
  readonly nameOf: NameOf;
  readonly onBack: () => void;
  readonly onSee: (at: string) => void;
}

/** A deleted record: its history, and an action to restore it. */
export function GoneRecord(props: GoneRecordProps) {
  const { slug, columns, recordId, nameOf, onBack, onSee } = props;
  const restore = useCommand("records.restore", { said: "The record is back.", onDone: onBack });
  return (
    <>
      <p>This record is not there, or not for you.</p>
      <CommandButton
        command={restore}
        onPress={() => void restore.run({ params: { slug, recordId } })}
      >
        Bring it back
      </CommandButton>
      <RecordHistory {...{ slug, columns, recordId, nameOf, onSee }} />
    </>
  );
}
