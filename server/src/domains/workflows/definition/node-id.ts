/** The pattern of the ids of nodes. */
export const NODE_ID = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$";
