/* The floor: what starting and ending any C program costs here. */
int main(void)
{
    return 0;
}
