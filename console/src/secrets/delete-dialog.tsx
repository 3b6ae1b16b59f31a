import type { Schemas } from "../data/api.ts";
import { count } from "../ui/words.ts";
import { Confirm } from "../ui/overlay/confirm.tsx";

/** Asks before something is deleted that others may refer to; it waits until it is known who they are. */
export function DeleteDialog(props: {
  readonly name: string;
  readonly usedIn: readonly Schemas["Referrer"][] | undefined;
  /** What is said where nothing refers to it. */
  readonly unused: string;
  readonly onAct: () => void;
  readonly onClose: () => void;
}) {
  const { name, usedIn = [], unused, onAct, onClose } = props;
  return (
    <Confirm
      title={`Delete ${name}`}
      act="Delete it"
      isBusy={props.usedIn === undefined}
      onAct={onAct}
      onClose={onClose}
    >
      {usedIn.length === 0
        ? unused
        : `${count(usedIn.length, "thing")} would fail: ${usedIn.map((one) => one.name).join(", ")}.`}
    </Confirm>
  );
}
