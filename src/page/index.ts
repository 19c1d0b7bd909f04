// The page
export {};
