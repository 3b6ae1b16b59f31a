import { useState } from "react";
import { useModal } from "../ui/overlay/modal.ts";
import { Keys } from "../ui/key.tsx";
import { currentActions } from "./actions.ts";

/** Every key that does something now. */
export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  const dialog = useModal();
  const [actions] = useState(() => currentActions().filter(({ keys }) => keys !== undefined));
  return (
    <dialog
      ref={dialog}
      className="sheet"
      aria-labelledby="key-sheet"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <h1 id="key-sheet">Keys of this screen</h1>
      <dl className="key-list">
        {actions.map(({ keys = "", label }) => (
          <div key={keys}>
            <dt>{label}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
