import { useState } from "react";
import { useModal } from "../ui/overlay/modal.ts";
import { Keys } from "../ui/key.tsx";
import { type Action, frameActions, screenActions } from "./actions.ts";

const hasKeys = ({ keys }: Action): boolean => keys !== undefined;
const isPlace = ({ keys }: Action): boolean => keys?.startsWith("g ") === true;

/** Lists the active shortcuts, starting with the screen's. */
export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  const dialog = useModal();
  const [own] = useState(() => screenActions().filter(hasKeys));
  const [shared] = useState(() =>
    frameActions().filter(
      (action) => hasKeys(action) && own.every(({ keys }) => keys !== action.keys),
    ),
  );
  return (
    <dialog
      ref={dialog}
      className="sheet key-sheet"
      aria-labelledby="key-sheet"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <h1 id="key-sheet">Keyboard shortcuts</h1>
      <KeyList actions={own} />
      <h2>Everywhere</h2>
      <KeyList actions={shared.filter((action) => !isPlace(action))} />
      <h2>Go to</h2>
      <KeyList actions={shared.filter(isPlace)} />
    </dialog>
  );
}

function KeyList({ actions }: { readonly actions: readonly Action[] }) {
  if (actions.length === 0) return <p className="muted">No shortcuts for this screen.</p>;
  return (
    <dl className="key-list">
      {actions.map(({ keys = "", label }) => (
        <div key={`${keys} ${label}`}>
          <dt>{label.replace(/^Go to /, "")}</dt>
          <dd>
            <Keys keys={keys} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
