import { call } from "../../data/api.ts";
import { useRefusal } from "../../data/people.ts";
import { notify, notifyError } from "../../ui/toast.tsx";
import type { GridColumn } from "../column/column.ts";
import type { NameOf } from "../column/value.ts";
import { RecordHistory } from "./record-history.tsx";
import { Button } from "../../ui/form/button.tsx";

interface GoneRecordProps {
  readonly slug: string;
  readonly columns: readonly GridColumn[];
  readonly recordId: string;
  readonly nameOf: NameOf;
  readonly onBack: () => void;
  readonly onSee: (at: string) => void;
}

/** A record that was deleted: what happened to it, and the way back. */
export function GoneRecord(props: GoneRecordProps) {
  const { slug, columns, recordId, nameOf, onBack, onSee } = props;
  const refusal = useRefusal("records.restore");
  const restore = async (): Promise<void> => {
    try {
      await call("records.restore", { params: { slug, recordId } });
      notify("The record is back.");
      onBack();
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <>
      <p>This record is not there, or not for you.</p>
      <Button refusal={refusal} type="button" onClick={() => void restore()}>
        Bring it back
      </Button>
      <RecordHistory {...{ slug, columns, recordId, nameOf, onSee }} />
    </>
  );
}
