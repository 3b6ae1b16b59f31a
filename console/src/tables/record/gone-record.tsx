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
  const restore = useCommand("records.restore", { said: "Record restored.", onDone: onBack });
  return (
    <>
      <p>This record was not found, or you don't have access to it.</p>
      <CommandButton
        command={restore}
        onPress={() => void restore.run({ params: { slug, recordId } })}
      >
        Restore record
      </CommandButton>
      <RecordHistory {...{ slug, columns, recordId, nameOf, onSee }} />
    </>
  );
}
