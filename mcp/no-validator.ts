/** The SDK would make one for the forms that a server asks a client to fill in, which takes a good part of the start; Relay asks for none. */
export const NO_VALIDATOR = {
  getValidator: (): never => {
    throw new Error("Relay asks for no forms");
  },
};
