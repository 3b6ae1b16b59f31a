/** The pattern of node ids. */
export const NODE_ID = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$";
