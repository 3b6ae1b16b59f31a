import { Link } from "@tanstack/react-router";
import { Bell as BellIcon } from "lucide-react";
import { useUnreadCount } from "../../data/notifications.ts";
import { count } from "../../ui/words.ts";

const SHOWN_MAX = 99;

/** The number of unread notifications, with a link to them. */
export function Bell() {
  const unread = useUnreadCount();
  if (unread === undefined) return null;
  const label = unread === 0 ? "Notifications" : count(unread, "new notification");
  return (
    <Link to="/notifications" className="btn bare icon bell" aria-label={label} title={label}>
      <BellIcon />
      {unread > 0 && (
        <span className="bell-count" aria-hidden="true">
          {unread > SHOWN_MAX ? `${SHOWN_MAX}+` : unread}
        </span>
      )}
    </Link>
  );
}
