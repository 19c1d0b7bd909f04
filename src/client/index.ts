// Their history
export {};
